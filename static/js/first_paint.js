// The user's colours, and whether the menu and the facets of a list are folded; the browser keeps these.
// Not a module: modules run after the page was drawn, and it would be drawn in other colours and at another width
// first.
(() => {
  const THEME = "adminTheme";
  const FOLDED = "menuFolded";
  const FACETS_FOLDED = "facetsFolded";
  const root = document.documentElement;

  const readChoice = (key, usual) => {
    try {
      return JSON.parse(localStorage.getItem(key)) ?? usual;
    } catch {
      return usual;
    }
  };

  const saveChoice = (key, value) => {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // The choice ends with the page.
    }
  };

  const press = (button, isPressed) => button.setAttribute("aria-pressed", String(isPressed));

  const showTheme = (theme) => {
    root.classList.toggle("dark", theme === "dark");
    root.classList.toggle("light", theme === "light");
    for (const button of document.querySelectorAll("[data-theme]")) press(button, button.dataset.theme === theme);
  };

  const showMenu = (isFolded) => {
    root.classList.toggle("is-menu-folded", isFolded);
    for (const button of document.querySelectorAll("[data-menu-fold]")) press(button, isFolded);
  };

  const showFacets = (isFolded) => {
    root.classList.toggle("is-facets-folded", isFolded);
    for (const button of document.querySelectorAll("[data-facets-fold]")) press(button, isFolded);
  };

  const showChoices = () => {
    showTheme(readChoice(THEME, "auto"));
    showMenu(readChoice(FOLDED, false));
    showFacets(readChoice(FACETS_FOLDED, false));
  };

  showChoices();
  document.addEventListener("DOMContentLoaded", showChoices);
  document.addEventListener("click", (event) => {
    const theme = event.target.closest("[data-theme]")?.dataset.theme;
    if (theme) {
      saveChoice(THEME, theme);
      showTheme(theme);
    }
    if (event.target.closest("[data-menu-fold]")) {
      const isFolded = !root.classList.contains("is-menu-folded");
      saveChoice(FOLDED, isFolded);
      showMenu(isFolded);
    }
    if (event.target.closest("[data-facets-fold]")) {
      const isFolded = !root.classList.contains("is-facets-folded");
      saveChoice(FACETS_FOLDED, isFolded);
      showFacets(isFolded);
    }
  });
})();
