"""Language: in which one a person reads the screens, and how a text is said in it.

The URL says it (`lang=ko`), else what was chosen before in this session, else the browser.
"""

import re
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from concord.language.languages import ENGLISH, LANGUAGES, nearest, read_by
from concord.messages import for_screen, message_of, said
from concord.text.display import css_text

_CHOSEN = "lang"
_SAID = "lang.said"  # in the session: the language of the screen that is drawn


def language() -> str:
    """The language of who is before the screen, one of `LANGUAGES`; English off the screens."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    return st.session_state.get(_CHOSEN, ENGLISH)


def _said_in() -> str:
    if get_script_run_ctx(suppress_warning=True) is None:
        return ENGLISH
    return st.session_state.get(_SAID, ENGLISH)


read_by(_said_in)


def say_in(language: str) -> None:
    """Say the texts that follow in this run, and in the callbacks before the next, in a language.

    Screens of analysis are English; what an annotator sees and navigation are in `language()`.
    """
    st.session_state[_SAID] = language


def settle_language() -> None:
    """Find out the language of this run, and tell the browser, which reads aloud and picks letters.

    The same Han letter is drawn otherwise in Chinese, Japanese and Korean.
    """
    own, known = nearest(st.context.locale), st.session_state.get(_CHOSEN)
    wanted = st.query_params.get(_CHOSEN) or known
    chosen = wanted if wanted in LANGUAGES else own
    st.session_state[_CHOSEN] = chosen
    say_in(chosen)
    if known not in (None, chosen):  # the way back in the browser's history
        _renew_choices()
    if chosen != own:
        st.query_params[_CHOSEN] = chosen  # which a way to another screen took out
    st.html(mark(chosen), unsafe_allow_javascript=True)
    # Streamlit's words for choosing a file or all of a list are English alone (look.css).
    words = {"choose": say("Choose"), "all": say("Select all"), "match": say("Select all matches")}
    ours = "; ".join(f"--{name}: '{css_text(text)}'" for name, text in words.items())
    st.html(f"<style>:root {{ {ours} }}</style>")


def mark(language: str) -> str:
    """The script that sets the language of a page; the content security policy allows its hash."""
    return f"<script>document.documentElement.lang = '{language}'</script>"


def choose_language(chosen: str) -> None:
    """Switch the language, keeping it in the URL."""
    st.session_state[_CHOSEN] = chosen
    say_in(chosen)
    st.query_params[_CHOSEN] = chosen


def pick_language() -> None:
    """The picker of languages, each under the name by which its readers know it."""
    st.session_state["pick.lang"] = language()  # which the URL may have changed
    st.selectbox(
        say("Language"),
        list(LANGUAGES),
        format_func=LANGUAGES.get,
        key="pick.lang",
        on_change=_choose,
    )


def called(code: str) -> str:
    """Return what the speakers of a language call it; the code of one that is not ours."""
    return LANGUAGES.get(code, code)


def say(text: str, /, **values: Any) -> str:
    """Return a text in the reader's language.

    Args:
        text: A literal template, or a text said before. User data goes into the values, never into
            the template.
        values: Values of the template's placeholders.
    """
    return word(said(text, **values))


def word(text: Any) -> Any:
    """Return the text of a reason, or a text."""
    return for_screen(message_of(text))


def plain(text: str) -> str:
    """Return text that Streamlit shows as it is, line by line; a message in the reader's language.

    Names and values from files are data. Streamlit's own Markdown runs no HTML but loads images and
    makes links of addresses, so what comes from a file never reaches it unescaped. A backslash does
    not keep an address from becoming a link: an empty directive, which shows nothing, parts it.
    What stands between backticks is shown as code, in which nothing has a meaning.
    """
    # Every other part is code.
    parts = _CODE.split(unbroken(word(text)))
    parts[::2] = (_MARKUP.sub(_escaped, part) for part in parts[::2])
    return "".join(parts).replace("\n", "  \n")


_CODE = re.compile(r"(`[^`\n]+`)")


# Where an address is parted (nothing is consumed there), or else a character that marks something;
# a number before a full stop begins a list, as a Korean date would (“2026. 11. 26.”).
_MARKUP = re.compile(
    r"(?<=[-+.\w])(?=@[-\w]+\.)|(?<=http)(?=://)|(?<=https)(?=://)|(?<=www)(?=\.)"
    r"|[\\`*_{}\[\]<>$~#|]|&(?=#?\w+;)|:(?=\w|//)|^\d{1,9}(?=[.)](?:\s|$))|^[-+](?=\s)",
    re.IGNORECASE | re.MULTILINE,
)


def _escaped(found: re.Match) -> str:
    if found[0].isdecimal():
        return f"{found[0]}\\"
    return f"\\{found[0]}" if found[0] else ":small[]"


def unbroken(text: str) -> str:
    """Return a text that breaks no `[70, 79]`, `n = 18` or `p < 0.001` over two lines."""
    return _OF_ONE_LINE.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text)


_OF_ONE_LINE = re.compile(r"\[[^\s\[\]]*\d, [^\s\[\]]*\d\]|\(?\bn = [\d.,]*\d\)?|\bp [<=] [\d.]+")


def _choose() -> None:
    choose_language(st.session_state["pick.lang"])
    _renew_choices()


def _renew_choices() -> None:
    """Set every choice to what it is.

    The browser keeps the words of what is chosen, in the old language, until a value is set.
    """
    for key, value in st.session_state.items():
        # What cannot be set (buttons, files, tables) is of other types.
        texts = value if isinstance(value, list) else [value]
        if (
            texts
            and all(isinstance(one, str | int | float) for one in texts)
            and (not isinstance(value, bool))
        ):
            st.session_state[key] = value
