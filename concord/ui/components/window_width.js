// Tells the app how many pixels a table has: fewer than all columns of a wide one need, or enough.

// The least width of a window, beginning with the widest, and the room for a table in it; up to 640
// pixels, half of a usual screen as at a zoom of 200%, no list of screens takes any.
const ROOMS = [[1241, 971], [1000, 704], [641, 473], [640, 608], [560, 528], [0, 358]];
const WINDOWS = ROOMS.map(([least]) => matchMedia(`(min-width: ${least}px)`));

export default ({ data, setStateValue }) => {
  const tell = () => {
    const [, room] = ROOMS[WINDOWS.findIndex((one) => one.matches)];
    if (room !== data.room) setStateValue("room", room);
  };
  for (const one of WINDOWS) one.onchange = tell;
  tell();
};
