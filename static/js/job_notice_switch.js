// The switch for notifications on the page of a person's settings. The browser is asked only after a click.
import { isOn, isSupported, turnOff, turnOn } from "./job_notices.js";

const part = document.querySelector("[data-notice-switch]");
const [on, off] = ["[data-turn-on]", "[data-turn-off]"].map((name) => part.querySelector(name));

const nameState = () => {
  if (!isSupported()) return "missing";
  if (Notification.permission === "denied") return "denied";
  return isOn() ? "on" : "off";
};

const showState = (state = nameState()) => {
  for (const words of part.querySelectorAll("[data-when]")) words.hidden = words.dataset.when !== state;
  on.hidden = state !== "off";
  off.hidden = state !== "on";
};

// Browsers of phones have the permission but no notifications of open pages.
const showFirst = () => {
  const { title, textContent } = part.querySelector("[data-first]");
  new Notification(title, { body: textContent, tag: "on" });
};

on.addEventListener("click", async () => {
  const isAllowed = (await Notification.requestPermission()) === "granted";
  if (!isAllowed) return showState();
  try {
    showFirst();
  } catch {
    return showState("missing");
  }
  turnOn(part.dataset.now);
  showState();
  off.focus();
});

off.addEventListener("click", () => {
  turnOff();
  showState();
  on.focus();
});

showState();
part.hidden = false;
