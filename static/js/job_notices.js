// Shows a notification of the browser when a job of the person ends, after the person turned this on in this browser.
// The poll of the menu's numbers asks for the ends: every few seconds, whatever the number of tabs. While none of them
// is visible, one hidden tab asks.
const ASK_MS = 9_000;
const HIDDEN_MS = 20_000;
const MAX_SEEN = 200;

const person = document.querySelector("main[data-person]")?.dataset.person;
const storageKey = `hubJobNotices:${person}`;
const askedKey = `hubJobNoticesAsked:${person}`;
const poll = document.getElementById("failing-now");
let isLoggedOut = false;
let isWaiting = false;
let isAsking = false;

export const isSupported = () => isSecureContext && "Notification" in globalThis && "locks" in navigator;

const readKept = () => {
  try {
    return JSON.parse(localStorage.getItem(storageKey));
  } catch {
    return null;
  }
};

const keep = (kept) => localStorage.setItem(storageKey, JSON.stringify(kept));

export const isOn = () => isSupported() && Notification.permission === "granted" && readKept() !== null;

const wasAskedSince = (moment) => Number(localStorage.getItem(askedKey)) > moment;

const askHidden = () => {
  if (!document.hidden || isLoggedOut || !isOn() || wasAskedSince(Date.now() - ASK_MS)) return;
  poll.dispatchEvent(new Event("hub:background"));
};

// One tab has the lock, until it is closed; then another one gets it.
const waitForTurn = () => {
  if (isWaiting || !poll) return;
  isWaiting = true;
  navigator.locks.request(`${storageKey}:hidden`, () => new Promise(() => setInterval(askHidden, HIDDEN_MS)));
};

export const turnOn = (since) => {
  keep({ since, seen: [] });
  waitForTurn();
};

export const turnOff = () => localStorage.removeItem(storageKey);

// Returns the notices that no tab has shown; they count as shown from now on.
const claimNotices = (part) => {
  const kept = readKept();
  if (!kept) return [];
  const notices = [...part.querySelectorAll("[data-job-notice]")].filter(
    (line) => !kept.seen.includes(line.dataset.jobNotice),
  );
  const seen = [...notices.map((line) => line.dataset.jobNotice), ...kept.seen].slice(0, MAX_SEEN);
  keep({ since: part.querySelector("time").dateTime, seen });
  return notices;
};

const showNotice = ({ title, textContent, href, dataset }) => {
  const notification = new Notification(title, { body: textContent, tag: dataset.jobNotice });
  notification.addEventListener("click", () => {
    notification.close();
    focus();
    location.assign(href);
  });
};

poll?.addEventListener("htmx:configRequest", ({ detail: { parameters } }) => {
  isAsking = isOn() && !wasAskedSince(Date.now() - ASK_MS);
  if (isAsking) parameters.append("jobs_since", readKept().since);
});

// The request is configured even if the page is hidden, and it is then not sent.
poll?.addEventListener("htmx:beforeSend", () => {
  if (isAsking) localStorage.setItem(askedKey, Date.now());
});

poll?.addEventListener("htmx:afterRequest", ({ detail: { xhr } }) => {
  isLoggedOut = xhr.status === 401;
});

document.addEventListener("htmx:oobBeforeSwap", async ({ target, detail }) => {
  if (target.id !== "job-notices") return;
  detail.shouldSwap = false;
  const notices = await navigator.locks.request(storageKey, () => claimNotices(detail.fragment));
  notices.forEach(showNotice);
});

if (isOn()) waitForTurn();
