// Reports activity to the server once a minute, and asks whether to stay before the session ends. Without an
// answer, it opens the login page. connection.js asks the server; polling by a page does not keep a session alive.
import { reportUse } from "./connection.js";

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
  reportUse();
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
  made.addEventListener("cancel", tell); // Escape also counts as activity
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
      `Your session ends at ${at} because of inactivity. Your input is kept.`,
      "Stay logged in",
    );
  } else if (!isWarned) {
    isWarned = true;
    show(
      "Your session is about to end",
      `You will be logged out at ${at}, the maximum length of a session. ` +
        "Submit your input, or log in again: it is kept.",
      "OK",
    );
  }
};

document.addEventListener("hub:session", ({ detail: left }) => {
  if (left.seconds <= WARN_S) warn(left);
  else if (notice?.open) notice.close(); // used in another window
});

// No answer to the question: do not leave the content of the page visible.
document.addEventListener("hub:connection", ({ detail: { state } }) => {
  if (state === "over" && notice?.open) location.assign(document.querySelector("#connection [data-log-in]").href);
});

const notePresence = () => {
  if (Date.now() - toldAt > TELL_MS && !notice?.open) tell();
};

for (const kind of ["keydown", "pointerdown", "wheel"]) {
  document.addEventListener(kind, notePresence, { capture: true, passive: true });
}
