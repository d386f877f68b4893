// Tells the app whether the window is too narrow for the columns of a wide table.

const NARROW = matchMedia("(max-width: 1240px)");

export default ({ data, setStateValue }) => {
  const tell = () => {
    if (NARROW.matches !== data.narrow) setStateValue("narrow", NARROW.matches);
  };
  NARROW.onchange = tell;
  tell();
};
