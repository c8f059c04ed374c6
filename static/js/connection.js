// Shows one bar on top of every page while the server cannot be reached, or after the session has ended: the page
// is out of date then. The bar asks for the rest of the session, which does not count as activity.
const OK = "ok";
const LOST = "lost";
const OVER = "over";
// While the server is there, only every third poll of the bar is sent.
const MIN_AGE_MS = 14_000;

let state = OK;
let checkedAt = Date.now();
let isRetried = false;
const bar = document.getElementById("connection");
const [words, retry, logIn] = ["[data-words]", "[data-retry]", "[data-log-in]"].map((part) => bar.querySelector(part));

export const isConnected = () => state === OK;

const checkConnection = () => bar.dispatchEvent(new Event("hub:check"));

const writeClock = () => new Date().toISOString().slice(11, 16);
const writeAddress = () => encodeURIComponent(location.pathname + location.search).replaceAll("%2F", "/");

const isTyped = () =>
  [...document.querySelectorAll("form[method=post] textarea, form[method=post] input")].some(
    (field) =>
      field.type !== "hidden" && (field.value !== field.defaultValue || field.checked !== field.defaultChecked),
  );

const showBar = () => {
  bar.hidden = state === OK;
  document.documentElement.dataset.connection = state;
  retry.hidden = state !== LOST;
  logIn.hidden = state !== OVER;
  if (state === LOST) words.textContent = `Not connected since ${writeClock()} UTC. This page may be out of date.`;
  if (state === OVER) {
    words.textContent = "You are logged out. This page may be out of date.";
    logIn.href = `/login/?next=${writeAddress()}`;
  }
};

const showState = (next) => {
  if (isRetried && next === OK && !isTyped()) location.reload();
  isRetried = false;
  if (next === state) return;
  state = next;
  showBar();
  document.dispatchEvent(new CustomEvent("hub:connection", { detail: { state } }));
  // Parts that poll do so immediately.
  if (state === OK) document.dispatchEvent(new Event("visibilitychange"));
};

const asksForSession = (element) => element === bar || element.id === "session-notice";

bar.addEventListener("htmx:beforeRequest", (event) => {
  const isPoll = !event.detail.requestConfig.triggeringEvent;
  const isDue = state === LOST || (state === OK && Date.now() - checkedAt > MIN_AGE_MS);
  if (document.hidden || (isPoll && !isDue)) event.preventDefault();
  else checkedAt = Date.now();
});

document.addEventListener("htmx:afterRequest", ({ target, detail: { xhr: { status } } }) => {
  if (!asksForSession(target)) return;
  if (status === 401) showState(OVER);
  else if (status === 0 || status >= 500) showState(LOST);
  else if (status < 300) showState(OK);
  // Anything else, as too many requests, is an answer of a server that is there.
});

for (const kind of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(kind, ({ target }) => asksForSession(target) || checkConnection());
}

// The page stays, with the user's input; the bar links to the login page.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.status !== 401) return;
  event.preventDefault();
  if (!asksForSession(event.target)) checkConnection();
});

// A part that polls does so only while the page is visible and the server is there. For notifications of jobs, a hidden
// page may ask, too (job_notices.js).
const isSeen = ({ requestConfig }) => !document.hidden || requestConfig.triggeringEvent?.type === "hub:background";

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.matches("[data-while-seen]") && !(isSeen(event.detail) && isConnected())) event.preventDefault();
}, { capture: true });

// A form would lead to an error page of the browser, and its input would be gone.
document.addEventListener("submit", (event) => {
  if (state !== LOST || event.target.method !== "post") return;
  event.preventDefault();
  words.textContent = "Not connected: the form was not sent. Your input stays here.";
}, { capture: true });

retry.addEventListener("click", () => {
  isRetried = true;
  checkConnection();
});

addEventListener("offline", () => showState(LOST));
