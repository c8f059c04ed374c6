// Tells the server once a minute that somebody is there, and asks whether to stay before the session ends. Where nobody
// answers, it leads to the log-in. connection.js asks the server; what a page asks by itself keeps no session alive.
(() => {
  const WARN_S = 120;
  const TELL_MS = 60_000;

  let toldAt = Date.now(); // the page itself was a use
  let isWarned = false; // of the end that nothing puts off
  let notice = null;

  const clock = (seconds) => {
    const at = new Date(Date.now() + seconds * 1000);
    return `${at.toISOString().slice(11, 19)} UTC`;
  };

  const tell = () => {
    toldAt = Date.now();
    window.hubConnection.use();
  };

  const make = () => {
    const made = document.createElement("dialog");
    made.className = "session-notice";
    made.setAttribute("role", "alertdialog");
    made.setAttribute("aria-labelledby", "session-notice-title");
    made.setAttribute("aria-describedby", "session-notice-text");
    const title = document.createElement("h2");
    title.id = "session-notice-title";
    const text = document.createElement("p");
    text.id = "session-notice-text";
    const button = document.createElement("button");
    button.type = "button";
    button.autofocus = true;
    button.addEventListener("click", () => {
      made.close();
      tell();
    });
    made.append(title, text, button);
    made.addEventListener("cancel", tell); // by Escape: somebody is there, too
    document.body.append(made);
    return made;
  };

  const show = (title, text, button) => {
    notice = notice || make();
    const words = [title, text, button];
    [...notice.children].forEach((part, place) => {
      part.textContent = words[place];
    });
    if (!notice.open) notice.showModal();
  };

  const warn = ({ seconds, may_grow: mayGrow }) => {
    const at = clock(seconds);
    if (mayGrow) {
      show(
        "Still there?",
        `Your session ends at ${at}, because nobody has used it for a while. What you have typed is kept.`,
        "Stay logged in",
      );
    } else if (!isWarned) {
      isWarned = true;
      show(
        "Your session is about to end",
        `You are logged out at ${at}, the longest that a session lasts. Send what you have typed, or log in again then: it is kept.`,
        "OK",
      );
    }
  };

  document.addEventListener("hub:session", ({ detail: left }) => {
    if (left.seconds <= WARN_S) warn(left);
    else if (notice?.open) notice.close(); // used in another window
  });

  // Asked whether anybody is there, nobody has answered: what the page shows is not for who comes by.
  document.addEventListener("hub:connection", ({ detail: { state } }) => {
    if (state === "over" && notice?.open) location.assign(document.querySelector("#connection [data-log-in]").href);
  });

  const notePresence = () => {
    if (Date.now() - toldAt > TELL_MS && !notice?.open) tell();
  };

  for (const kind of ["keydown", "pointerdown", "wheel"]) {
    document.addEventListener(kind, notePresence, { capture: true, passive: true });
  }
})();
