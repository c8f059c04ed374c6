// Keeps the numbers of the menu, and those of failing messages wherever they are. When a number of failing messages has
// changed, parts of the page that depend on it load themselves again: they wait for the event hub:failing.
const OF_GROUP = "[data-failing-group]";
const OF_MENU = "[data-menu-count]";
const NUMBERS = `[data-failing-now], ${OF_GROUP}`;
const MAX_GROUPS = 200;

const poll = document.getElementById("failing-now");
let isChanged = false;

const readGroups = () => {
  const ids = new Set([...document.querySelectorAll(OF_GROUP)].map((part) => part.dataset.failingGroup));
  return [...ids].slice(0, MAX_GROUPS);
};

poll?.addEventListener("htmx:configRequest", ({ detail: { parameters } }) => {
  if (document.querySelector("[data-failing-now]")) parameters.append("total", "1");
  for (const id of readGroups()) parameters.append("group", id);
});

poll?.addEventListener("htmx:afterRequest", () => {
  if (isChanged) document.dispatchEvent(new Event("hub:failing"));
  isChanged = false;
});

document.addEventListener("htmx:oobBeforeSwap", ({ target, detail }) => {
  if (target.matches(OF_MENU)) target.parentElement.hidden = detail.fragment.textContent.trim() === "0";
  if (!target.matches(NUMBERS)) return;
  const text = detail.fragment.textContent.trim();
  detail.shouldSwap = target.textContent.trim() !== text;
  isChanged ||= detail.shouldSwap;
  if (target.matches(".c-count-badge")) target.hidden = text === "0";
});
