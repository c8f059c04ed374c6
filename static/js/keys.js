// Single keys: runs what an element names by data-key ("j", "g m"), and lists the keys of a page on "?".
// Scripts add theirs by addKey({key, label, run}). Nothing fires while the user types, or after
// the user has turned single keys off.
const OFF = "hubKeysOff";
const SEQUENCE_MS = 1500;
const added = [];
let typed = "";
let typedAt = 0;

// Reading the storage throws if the browser keeps nothing for this site.
const isOff = () => {
  try {
    return localStorage.getItem(OFF) === "true";
  } catch {
    return false;
  }
};

const turn = (off) => {
  try {
    localStorage.setItem(OFF, String(off));
  } catch {
    // The choice is not kept.
  }
};

const dialog = () => document.getElementById("keys");

const labelOf = (element) =>
  element.dataset.keyLabel || element.getAttribute("aria-label") || element.textContent.trim();

const run = (element) => {
  if (element.matches("input:not([type=checkbox], [type=radio]), textarea, select")) {
    element.focus();
    if (element.select) element.select();
  } else {
    if (element.matches("summary")) element.focus(); // the next Tab goes into what it opens
    element.click();
  }
};

// Keys of the content come before those of the frame, so that a page can override a key.
const elements = () => {
  const inContent = [...document.querySelectorAll("main [data-key]")];
  const others = [...document.querySelectorAll("[data-key]")].filter((one) => !inContent.includes(one));
  return [...inContent, ...others].filter((one) => one.getClientRects().length > 0);
};

const bindings = () => {
  const found = new Map();
  const offer = (key, label, action) => found.has(key) || found.set(key, { key, label, run: action });
  for (const one of added) offer(one.key, one.label, one.run);
  for (const one of elements()) offer(one.dataset.key, labelOf(one), () => run(one));
  offer("?", "Show keyboard shortcuts", open);
  return found;
};

const caps = (key) =>
  key.split(" ").map((part) => {
    const cap = document.createElement("kbd");
    cap.textContent = part;
    return cap;
  });

const row = ({ key, label }) => {
  const line = document.createElement("div");
  const name = document.createElement("dt");
  const meaning = document.createElement("dd");
  name.append(...caps(key));
  meaning.textContent = label;
  line.append(name, meaning);
  return line;
};

function open() {
  const place = dialog();
  if (!place || place.open) return;
  const always = { key: "Ctrl K", label: "Find any id" };
  const rows = [...bindings().values(), ...(document.getElementById("palette") ? [always] : [])];
  place.querySelector("[data-keys-list]").replaceChildren(...rows.map(row));
  place.querySelector("[data-keys-off]").checked = isOff();
  place.showModal();
}

const NOT_TYPED = "[type=checkbox], [type=radio], [type=button], [type=submit]";
const TYPED = `input:not(${NOT_TYPED}), textarea, select, [contenteditable=true]`;
const isTyping = (target) => target.closest(TYPED);

const press = (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isOff()) return;
  if (!(event.target instanceof Element) || isTyping(event.target)) return;
  if (event.key.length > 1 || event.key === " " || document.querySelector("dialog[open]")) return;
  const now = Date.now();
  const keys = bindings();
  const sequence = typed && now - typedAt < SEQUENCE_MS ? `${typed} ${event.key}` : event.key;
  const hit = keys.get(sequence) || keys.get(event.key);
  const starts = [...keys.keys()].some((key) => key.startsWith(`${event.key} `));
  typed = !hit && starts ? event.key : "";
  typedAt = now;
  if (!hit) return;
  event.preventDefault();
  hit.run();
};

export const addKey = (binding) => added.push(binding);

document.addEventListener("keydown", press);
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys-open]")) open();
  if (event.target === dialog()) dialog().close();
});
document.addEventListener("change", (event) => {
  if (event.target.matches("[data-keys-off]")) turn(event.target.checked);
});
for (const button of document.querySelectorAll("[data-keys-open]")) button.hidden = false;
