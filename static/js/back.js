// The Esc key: dialogs, menus and the preview close by their own scripts, which
// take the key. Otherwise the selection of the list is cleared, and without one, the page above this one opens.
import { addKey, isOff, isTyping } from "./keys.js";

const OPEN = "dialog[open], :popover-open";
const FIELDS = "main form[method=post] :is(input:not([type=hidden]), textarea)";

const isChanged = (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked;

const clearSelection = () => {
  const button = document.querySelector("#selection:not([hidden]) [data-selection-clear]");
  button?.click();
  return button !== null;
};

// The list with its filter, or else the last step of the way to this page.
const findParent = () =>
  document.querySelector('a[data-key="u"]') ?? [...document.querySelectorAll(".c-crumbs a")].at(-1) ?? null;

const goBack = (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || event.repeat || isOff()) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (document.querySelector(OPEN) || (event.target instanceof Element && isTyping(event.target))) return;
  if (clearSelection() || [...document.querySelectorAll(FIELDS)].some(isChanged)) return;
  const parent = findParent();
  if (parent) location.assign(parent.href);
};

// After the listeners of the document.
window.addEventListener("keydown", goBack);
addKey({ key: "Esc", label: "Close what is open, clear the selection, or go back one level", run: () => {} });
