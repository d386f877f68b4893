"""Simulated: how names and sentences say that a grader is simulated."""


def named(name: str, simulated: bool) -> str:
    """A grader's name; a simulated one says so, once."""
    return f"{name} (simulated)" if simulated and "simulated" not in name else name


def people_sentence(simulated: int, people: int) -> str:
    """How many of the people a figure rests on are simulated; '' where none is."""
    if not simulated:
        return ""
    if simulated < people:
        are = "is" if simulated == 1 else "are"
        return f"{simulated} of the {people} people {are} simulated."
    return "The person is simulated." if people == 1 else "All of the people are simulated."
