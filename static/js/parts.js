// Parts of a page that htmx replaces while someone is at them. A part that has not changed, or in which text is
// selected, is left as it is. Opened details and the focus are kept.
const FOCUSABLE = "a[href], button, summary, [tabindex]";
const STATES = ["data-state", "hidden", "hx-get", "hx-headers", "hx-trigger"]; // of a part itself
// By the part that is replaced.
const focusSeekers = new WeakMap();
const openNames = new WeakMap();

const listDetails = (part) => [...part.querySelectorAll("details")];

// In a steady part, texts like "5 s ago" are ignored.
const writeContent = (part, isSteady) => {
  const copy = part.cloneNode(true);
  for (const details of listDetails(copy)) details.removeAttribute("open");
  if (isSteady) copy.querySelectorAll(".u-second, time").forEach((time) => time.remove());
  const states = STATES.map((name) => part.getAttribute(name));
  return JSON.stringify([states, copy.innerHTML.replaceAll(/\s+/g, " ")]);
};

const isMarked = (part) => {
  const selection = getSelection();
  return !selection.isCollapsed && selection.containsNode(part, true);
};

// Someone has opened details of the part and loaded more into it.
const hasMore = (part, fresh) =>
  listDetails(part).some((details) => details.open) && listDetails(part).length !== listDetails(fresh).length;

const mayReplace = (part, fresh) => {
  const isSteady = part.closest("[data-steady]") !== null;
  if (writeContent(part, isSteady) === writeContent(fresh, isSteady) || isMarked(part)) return false;
  return !isSteady || part.hasAttribute("data-urgent") || !hasMore(part, fresh);
};

// The focused element of a part is found again by what it does, as its place may change.
const makeFocusSeeker = (part) => {
  const focused = document.activeElement;
  if (!part.contains(focused) || focused === part) return null;
  const name = focused.getAttribute("href") || focused.id || focused.textContent.trim();
  return (element) => [element.getAttribute("href"), element.id, element.textContent.trim()].includes(name);
};

const keepFocus = (part, isFocused) => {
  const element = [...part.querySelectorAll(FOCUSABLE)].find(isFocused);
  if (!element) part.tabIndex = -1;
  (element || part).focus({ preventScroll: true });
};

document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target: part, detail: { fragment } } = event;
  if (!part.id) return;
  const fresh = fragment instanceof DocumentFragment ? fragment.firstElementChild : fragment;
  if (!mayReplace(part, fresh)) return event.preventDefault();
  const openness = listDetails(part).map((details) => details.open);
  listDetails(fresh).forEach((details, place) => {
    details.open ||= openness[place] || false;
  });
  const isFocused = makeFocusSeeker(part);
  if (isFocused) focusSeekers.set(part, isFocused);
});

document.addEventListener("htmx:oobAfterSwap", ({ detail: { target: part } }) => {
  const isFocused = focusSeekers.get(part);
  const fresh = document.getElementById(part.id);
  if (!isFocused || !fresh) return;
  focusSeekers.delete(part);
  keepFocus(fresh, isFocused);
});

// In a part that is replaced as a whole, details are identified by the name in data-keep-open.
document.addEventListener("htmx:beforeSwap", ({ target: part }) => {
  const opened = [...part.querySelectorAll("details[data-keep-open][open]")];
  openNames.set(part, opened.map((details) => details.dataset.keepOpen));
});

document.addEventListener("htmx:afterSwap", ({ detail: { target: part } }) => {
  for (const details of part.querySelectorAll("details[data-keep-open]")) {
    details.open ||= openNames.get(part)?.includes(details.dataset.keepOpen) || false;
  }
});
