// Shows one bar on top of every page while the server cannot be reached, or after the session has ended: the page
// is out of date then. Asks every 15 s how long the session lasts, which does not count as activity; session.js
// gets the answers.
const ADDRESS = "/sessions/left/";
const EVERY_MS = 15_000;
const AGAIN_MS = 5000;
const ANSWER_MS = 10_000;
const OK = "ok";
const LOST = "lost";
const OVER = "over";

let state = OK;
let timer = 0;
let asking = null;
const bar = document.getElementById("connection");
const [words, retry, logIn] = ["[data-words]", "[data-retry]", "[data-log-in]"].map((part) => bar.querySelector(part));

export const isConnected = () => state === OK;

const clock = () => new Date().toISOString().slice(11, 16);
const here = () => location.pathname + location.search;

const show = (next) => {
  if (next === state) return;
  const before = state;
  state = next;
  bar.hidden = next === OK;
  document.documentElement.dataset.connection = next;
  retry.hidden = next !== LOST;
  logIn.hidden = next !== OVER;
  if (next === LOST) words.textContent = `Not connected since ${clock()} UTC. This page may be out of date.`;
  if (next === OVER) {
    words.textContent = "You are logged out. This page may be out of date.";
    logIn.href = `/login/?next=${encodeURIComponent(here()).replaceAll("%2F", "/")}`;
  }
  document.dispatchEvent(new CustomEvent("hub:connection", { detail: { state: next } }));
  // Parts that poll do so immediately.
  if (before !== OK && next === OK) document.dispatchEvent(new Event("visibilitychange"));
};

const handle = async (answer) => {
  if (answer.status === 401 || (answer.redirected && new URL(answer.url).pathname === "/login/")) {
    show(OVER);
  } else if (answer.ok) {
    const left = await answer.json();
    show(OK);
    document.dispatchEvent(new CustomEvent("hub:session", { detail: left }));
  } else if (answer.status >= 500) {
    show(LOST);
  } // Anything else, as too many requests, is an answer of a server that is there.
};

const ask = async (options) => {
  try {
    await handle(await fetch(ADDRESS, { ...options, signal: AbortSignal.timeout(ANSWER_MS) }));
  } catch {
    show(LOST);
  }
};

const later = () => {
  clearTimeout(timer);
  if (state !== OVER) timer = setTimeout(look, state === LOST ? AGAIN_MS : EVERY_MS);
};

// Several parts of a page may fail at the same time: one check is enough.
export const checkConnection = (options = { headers: { "HX-Request": "true" } }) => {
  asking = asking || ask(options).finally(() => {
    asking = null;
    later();
  });
  return asking;
};

function look() {
  if (document.hidden) later();
  else checkConnection();
}

// A POST counts as activity.
export const reportUse = async () => {
  await asking;
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value || "";
  return checkConnection({ method: "POST", headers: { "HX-Request": "true", "X-CSRFToken": token } });
};

const isTyped = () =>
  [...document.querySelectorAll("form[method=post] textarea, form[method=post] input")].some(
    (field) =>
      field.type !== "hidden" && (field.value !== field.defaultValue || field.checked !== field.defaultChecked),
  );

retry.addEventListener("click", async () => {
  retry.disabled = true;
  await checkConnection();
  retry.disabled = false;
  if (state === OK && !isTyped()) location.reload();
});

addEventListener("offline", () => show(LOST));
addEventListener("online", () => checkConnection());
document.addEventListener("visibilitychange", () => document.hidden || checkConnection());
for (const kind of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(kind, () => checkConnection());
}
// The page stays, with the user's input; the bar links to the login page.
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.status !== 401) return;
  event.preventDefault();
  checkConnection();
});

later();
