// The parts of a page under tabs: shows the part that a tab, or the address, names. The address follows the tab.
const findTabbed = () => document.querySelector("[data-tabbed]");
const listPanels = () => [...findTabbed().querySelectorAll(":scope > .c-tab-panel")];
const listTabs = () => [...findTabbed().querySelectorAll('.c-tabs a[href^="#"]')];
const findPart = (hash) => document.getElementById(decodeURIComponent(hash.slice(1)));
const findPanel = (hash) => findPart(hash)?.closest(".c-tab-panel");

const markTab = () => {
  const current = listPanels().find((panel) => panel.classList.contains("is-current"));
  for (const tab of listTabs()) {
    if (findPanel(tab.hash) === current) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
};

const showPanel = (panel) => {
  for (const one of listPanels()) one.classList.toggle("is-current", one === panel);
  markTab();
};

const showAddressed = () => {
  const panel = location.hash && findPanel(location.hash);
  if (panel) showPanel(panel);
  return panel;
};

const followAddress = () => {
  if (showAddressed()) findPart(location.hash).scrollIntoView({ block: "nearest" });
};

document.addEventListener("click", (event) => {
  const tab = event.target.closest('[data-tabbed] .c-tabs a[href^="#"]');
  if (!tab || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.replaceState(history.state, "", tab.hash);
  const panel = findPanel(tab.hash);
  showPanel(panel);
  // A part that only has folded contents opens the first one.
  if (panel.matches("[data-opens]") && !panel.querySelector("details[open]")) {
    const first = panel.querySelector("details");
    if (first) first.open = true;
  }
});

// The tabs, or all parts with them, may have been replaced. Until a part has settled, it has the old attributes.
document.addEventListener("htmx:oobAfterSwap", markTab);
document.addEventListener("htmx:afterSettle", ({ target }) => {
  if (target.contains(findTabbed())) showAddressed();
});
addEventListener("hashchange", followAddress);
followAddress();
