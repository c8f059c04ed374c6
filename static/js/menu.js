// The menu: its groups open and close, and the server reads from a cookie which ones are closed. In a narrow window the
// menu is a drawer. While it is open, the rest of the page cannot be used, so the focus stays in
// it; Esc and a click outside of it close it.
const menu = document.getElementById("menu");
const opener = document.querySelector("[data-menu-open]");
const isOpen = () => menu.classList.contains("is-open");

const showDrawer = (open) => {
  menu.classList.toggle("is-open", open);
  opener.setAttribute("aria-expanded", String(open));
  document.getElementById("frame-main").inert = open;
  if (open) (menu.querySelector("[aria-current]") ?? menu.querySelector("a")).focus();
  else opener.focus();
};

const startDrawer = () => {
  opener.addEventListener("click", () => showDrawer(true));
  for (const each of document.querySelectorAll("[data-menu-close]")) {
    each.addEventListener("click", () => showDrawer(false));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !isOpen()) return;
    event.preventDefault();
    showDrawer(false);
  });
  // A wider window always shows the menu.
  matchMedia("(min-width: 801px)").addEventListener("change", ({ matches }) => {
    if (matches && isOpen()) showDrawer(false);
  });
};

// A folded menu shows only the icons.
const showName = ({ target }) => {
  const link = target.closest("a");
  if (link) link.title = link.querySelector(".c-side-text").textContent;
};

// A menu with pinned objects may be higher than a small window.
const showCurrent = () => {
  const current = menu.querySelector("[aria-current]");
  const links = current?.closest(".c-side-links");
  if (!links) return;
  const hidden = current.getBoundingClientRect().bottom - links.getBoundingClientRect().bottom;
  if (hidden > 0) links.scrollTop += hidden;
};

const CLOSED = "menuClosed";
const YEAR_S = 31_536_000;

const listClosed = () => [...menu.querySelectorAll(".is-closed")].map((part) => part.dataset.menuPart);

const turnGroup = (button) => {
  const isClosed = button.closest("[data-menu-part]").classList.toggle("is-closed");
  button.setAttribute("aria-expanded", String(!isClosed));
  document.cookie = `${CLOSED}=${listClosed().join(".")}; path=/; max-age=${YEAR_S}; samesite=lax`;
};

menu?.addEventListener("click", ({ target }) => {
  const button = target.closest("button.c-side-group");
  if (button) turnGroup(button);
});

if (menu && opener) startDrawer();
menu?.addEventListener("mouseover", showName);
if (menu) showCurrent();
