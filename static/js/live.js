// Shows how many messages arrived after the list was loaded; its rows do not change. Asks only while nothing is
// selected and the user has not switched it off; for up to an hour.
const MAX_QUESTIONS = 240;
const KEY = "liveUpdates";

const live = document.querySelector("[data-live]");

const startLive = () => {
  const pill = live.querySelector("[hx-get]");
  const button = live.querySelector("button");
  let questions = 0;
  let isOver = false;

  const isOn = () => localStorage.getItem(KEY) !== "off";
  const isWanted = () => isOn() && !isOver && !document.querySelector("[name=msg_id]:checked");
  const showSwitch = () => button.setAttribute("aria-pressed", String(isOn()));

  pill.addEventListener("htmx:beforeRequest", (event) => {
    if (event.defaultPrevented) return;
    if (!isWanted()) return event.preventDefault();
    questions += 1;
    if (questions <= MAX_QUESTIONS) return;
    event.preventDefault();
    isOver = true;
    pill.textContent = "Stopped checking for new messages. Reload to continue.";
  });

  // The same number is not announced again.
  pill.addEventListener("htmx:beforeSwap", ({ detail }) => {
    const { status } = detail.xhr;
    isOver ||= status >= 400 && status !== 503;
    detail.shouldSwap &&= pill.dataset.answer !== detail.serverResponse;
    pill.dataset.answer = detail.serverResponse;
  });

  pill.addEventListener("htmx:afterSwap", () => {
    isOver ||= pill.querySelector("[data-stop]") !== null;
  });

  button.addEventListener("click", () => {
    localStorage.setItem(KEY, isOn() ? "off" : "on");
    showSwitch();
    pill.dispatchEvent(new Event("hub:live"));
  });
  document.addEventListener("hub:connection", ({ detail: { state } }) => {
    button.querySelector("span").textContent = state === "ok" ? "Live" : "Not live";
    button.disabled = state !== "ok";
  });
  showSwitch();
  live.hidden = false;
};

if (live) startLive();
