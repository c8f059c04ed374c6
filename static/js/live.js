// Shows how many messages arrived after the list was loaded; its rows do not change. Asks every 15 s, only
// while the page is visible, nothing is selected and the user has not switched it off; for up to an hour.
import { checkConnection, isConnected } from "./connection.js";

const EVERY_MS = 15_000;
const MOST_QUESTIONS = 240;
const KEY = "liveUpdates";

const start = (live) => {
  const pill = live.querySelector(".live-pill");
  const button = live.querySelector(".live-switch");
  let questions = 0;
  let isOver = false;

  const isOn = () => localStorage.getItem(KEY) !== "off";
  const showSwitch = () => button.setAttribute("aria-pressed", String(isOn()));

  const isWanted = () =>
    isOn() && isConnected() && !isOver && !document.hidden &&
    !document.querySelector("[name=msg_id]:checked");

  const stop = (words) => {
    isOver = true;
    if (words) pill.textContent = words;
  };

  const ask = async () => {
    if (!isWanted()) return;
    questions += 1;
    if (questions > MOST_QUESTIONS) return stop("Stopped checking for new messages. Reload to continue.");
    let answer;
    try {
      answer = await fetch(live.dataset.live, { headers: { "HX-Request": "true" } });
    } catch {
      return checkConnection();
    }
    if (answer.status === 401 || answer.status === 503) return checkConnection();
    if (!answer.ok) return stop("");
    const text = (await answer.text()).trim();
    if (pill.dataset.text === text) return undefined;
    pill.dataset.text = text;
    pill.innerHTML = text;
    const link = pill.querySelector("[data-reload]");
    if (link) link.href = live.dataset.list;
    if (pill.querySelector("[data-stop]")) stop("");
    return undefined;
  };

  button.addEventListener("click", () => {
    localStorage.setItem(KEY, isOn() ? "off" : "on");
    showSwitch();
    ask();
  });
  document.addEventListener("visibilitychange", ask);
  document.addEventListener("hub:connection", ({ detail: { state } }) => {
    button.querySelector("span").textContent = state === "ok" ? "Live" : "Not live";
    button.disabled = state !== "ok";
  });
  setInterval(ask, EVERY_MS);
  showSwitch();
  live.hidden = false;
};

document.querySelectorAll("[data-live]").forEach(start);
