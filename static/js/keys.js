// Single keys: runs what an element names by data-key ("j", "g m"), and lists the keys of a page on "?".
// Scripts add theirs by addKey({key, label, run}). Nothing fires while the user types, or after
// the user has turned single keys off.
const OFF = "hubKeysOff";
const SEQUENCE_MS = 1500;
const extraKeys = [];
let prefix = "";
let prefixAt = 0;

// Reading the storage throws if the browser keeps nothing for this site.
export const isOff = () => {
  try {
    return localStorage.getItem(OFF) === "true";
  } catch {
    return false;
  }
};

const saveChoice = (off) => {
  try {
    localStorage.setItem(OFF, String(off));
  } catch {
    // The choice is not kept.
  }
};

const findDialog = () => document.getElementById("keys");

const readLabel = (element) => {
  if (element.closest("#menu")) return `Go to ${element.querySelector(".c-side-text").textContent}`;
  return element.dataset.keyLabel || element.getAttribute("aria-label") || element.textContent.trim();
};

const runElement = (element) => {
  if (element.matches("input:not([type=checkbox], [type=radio]), textarea, select")) {
    element.focus();
    if (element.select) element.select();
  } else {
    if (element.matches("summary")) element.focus(); // the next Tab goes into what it opens
    element.click();
  }
};

// Keys of the content come before those of the frame, so that a page can override a key.
const listElements = () => {
  const inContent = [...document.querySelectorAll("main [data-key]")];
  const others = [...document.querySelectorAll("[data-key]")].filter((one) => !inContent.includes(one));
  return [...inContent, ...others].filter((one) => one.getClientRects().length > 0);
};

const listBindings = () => {
  const bindings = new Map();
  const addBinding = (key, label, action) => bindings.has(key) || bindings.set(key, { key, label, run: action });
  for (const one of extraKeys) addBinding(one.key, one.label, one.run);
  for (const one of listElements()) addBinding(one.dataset.key, readLabel(one), () => runElement(one));
  addBinding("?", "Show keyboard shortcuts", openDialog);
  return bindings;
};

const drawCaps = (key) =>
  key.split(" ").map((part) => {
    const cap = document.createElement("kbd");
    cap.textContent = part;
    return cap;
  });

const drawRow = ({ key, label }) => {
  const line = document.createElement("div");
  const name = document.createElement("dt");
  const meaning = document.createElement("dd");
  name.append(...drawCaps(key));
  meaning.textContent = label;
  line.append(name, meaning);
  return line;
};

function openDialog() {
  const place = findDialog();
  if (!place || place.open) return;
  const paletteKey = { key: "Ctrl K", label: "Search or jump" };
  const rows = [...listBindings().values(), ...(document.getElementById("palette") ? [paletteKey] : [])];
  place.querySelector("[data-keys-list]").replaceChildren(...rows.map(drawRow));
  place.querySelector("[data-keys-off]").checked = isOff();
  place.showModal();
}

const NOT_TYPED = "[type=checkbox], [type=radio], [type=button], [type=submit]";
const TYPED = `input:not(${NOT_TYPED}), textarea, select, [contenteditable=true]`;
export const isTyping = (target) => target.closest(TYPED);

const handleKey = (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isOff()) return;
  if (!(event.target instanceof Element) || isTyping(event.target)) return;
  if (event.key.length > 1 || event.key === " " || document.querySelector("dialog[open]")) return;
  const now = Date.now();
  const keys = listBindings();
  const sequence = prefix && now - prefixAt < SEQUENCE_MS ? `${prefix} ${event.key}` : event.key;
  const match = keys.get(sequence) || keys.get(event.key);
  const isStart = [...keys.keys()].some((key) => key.startsWith(`${event.key} `));
  prefix = !match && isStart ? event.key : "";
  prefixAt = now;
  if (!match) return;
  event.preventDefault();
  match.run();
};

export const addKey = (binding) => extraKeys.push(binding);

document.addEventListener("keydown", handleKey);
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) openDialog();
  if (event.target === findDialog()) findDialog().close();
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-keys-off]")) saveChoice(event.target.checked);
});
