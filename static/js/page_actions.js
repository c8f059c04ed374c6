// The actions of the open page as results of the search dialog: its links and buttons that act on what it shows.
const MAX_ACTIONS = 6;
const ACTIONS = "main a.c-button, main button, main .c-menu-links a";
const NOT_ACTIONS = "[hidden], [disabled], dialog *, [popover] button[name], .c-term, .c-guide *";

const readWords = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

const labelOf = (element) => (element.getAttribute("aria-label") || element.textContent).trim().replace(/\s+/g, " ");

const isMeant = (label, parts) => {
  const words = readWords(label);
  return parts.every((part) => words.some((word) => word.startsWith(part)));
};

// Links and plain buttons are pressed. A button that would send a form is only shown and focused.
const takeAction = (element) => {
  if (element.matches("a, [type=button]")) {
    element.click();
    return;
  }
  element.scrollIntoView({ block: "center" });
  element.focus();
};

const makeOption = ({ label, element }, number, close) => {
  const option = document.createElement("a");
  option.className = "c-palette-line";
  option.id = `action-${number}`;
  option.href = element.href || "#content";
  option.tabIndex = -1;
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.textContent = label;
  option.addEventListener("click", (event) => {
    event.preventDefault();
    close();
    takeAction(element);
  });
  return option;
};

export const listPageActions = (text, close) => {
  const parts = readWords(text);
  const actions = new Map();
  for (const element of document.querySelectorAll(ACTIONS)) {
    const label = labelOf(element);
    if (!label || actions.has(label) || element.matches(NOT_ACTIONS) || !isMeant(label, parts)) continue;
    if (element.closest(".c-menu-body") || element.checkVisibility()) actions.set(label, { label, element });
    if (actions.size === MAX_ACTIONS) break;
  }
  if (!actions.size) return null;
  const group = document.createElement("div");
  group.setAttribute("role", "group");
  group.setAttribute("aria-labelledby", "result-actions");
  const title = document.createElement("div");
  title.className = "c-palette-kind";
  title.id = "result-actions";
  title.textContent = "On this page";
  group.append(title, ...[...actions.values()].map((action, number) => makeOption(action, number, close)));
  return group;
};
