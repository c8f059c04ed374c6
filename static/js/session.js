// Reports activity to the server once a minute, and asks whether to stay before the session ends: the server fills
// the notice then. Without an answer, it opens the login page. Polling by a page does not keep a session alive.
const REPORT_MS = 60_000;
const notice = document.getElementById("session-notice");

let reportedAt = Date.now(); // the page itself was a use
let isFinalShown = false; // the notice of the end that nothing puts off

const reportUse = () => {
  reportedAt = Date.now();
  notice.dispatchEvent(new Event("hub:use"));
};

const showNotice = () => {
  const isFinal = notice.querySelector("[data-final]") !== null;
  if (!notice.firstElementChild) notice.close(); // used in another window
  else if (!notice.open && !(isFinal && isFinalShown)) notice.showModal();
  isFinalShown ||= isFinal;
};

const reportPresence = () => {
  if (Date.now() - reportedAt > REPORT_MS && !notice.open) reportUse();
};

notice.addEventListener("htmx:afterSwap", showNotice);
notice.addEventListener("cancel", reportUse); // Escape also counts as activity
notice.addEventListener("click", (event) => {
  if (!event.target.closest("button")) return;
  notice.close();
  reportUse();
});

// No answer to the question: do not leave the content of the page visible.
document.addEventListener("hub:connection", ({ detail: { state } }) => {
  if (state === "over" && notice.open) location.assign(document.querySelector("#connection [data-log-in]").href);
});

for (const kind of ["keydown", "pointerdown", "wheel"]) {
  document.addEventListener(kind, reportPresence, { capture: true, passive: true });
}
