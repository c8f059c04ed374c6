// Keeps the numbers of failing messages on a page: in the menu, in tabs and wherever else they are. Asks every three
// seconds while the page is visible. When a number has changed, parts of the page that depend on it load themselves
// again: they wait for the event hub:failing.
import { checkConnection, isConnected } from "./connection.js";

const keepNumbers = () => {
  const EVERY_MS = 3000;
  const ADDRESS = "/failures/now/";
  const ALL = "[data-failing-now]";
  const OF_GROUP = "[data-failing-group]";
  const MOST_GROUPS = 200;

  if (!document.querySelector(ALL)) return;
  let isAsking = false;

  const address = () => {
    const ids = new Set([...document.querySelectorAll(OF_GROUP)].map((part) => part.dataset.failingGroup));
    const groups = [...ids].slice(0, MOST_GROUPS).map((id) => `group=${id}`).join("&");
    return ADDRESS + (groups && `?${groups}`);
  };

  const write = (part, text) => {
    const isNew = part.textContent.trim() !== text;
    if (isNew) part.textContent = text;
    if (part.classList.contains("failing-count")) part.hidden = text === "0";
    return isNew;
  };

  const show = ({ text, groups }) => {
    const all = [...document.querySelectorAll(ALL)].map((part) => write(part, text));
    const ofGroups = [...document.querySelectorAll(OF_GROUP)]
      .filter((part) => part.dataset.failingGroup in groups)
      .map((part) => write(part, groups[part.dataset.failingGroup]));
    if ([...all, ...ofGroups].includes(true)) document.dispatchEvent(new Event("hub:failing"));
  };

  const ask = async () => {
    if (document.hidden || isAsking || !isConnected()) return;
    isAsking = true;
    try {
      const answer = await fetch(address(), { headers: { "HX-Request": "true" } });
      if (answer.ok) show(await answer.json());
      else if (answer.status === 401) checkConnection();
    } catch {
      checkConnection();
    }
    isAsking = false;
  };

  document.addEventListener("visibilitychange", ask);
  setInterval(ask, EVERY_MS);
};

keepNumbers();
