// Light, dark or the system's colours; the browser keeps the choice. Not a module: modules run after the page was
// drawn, and it would be drawn in the wrong colours first.
(() => {
  const KEY = "adminTheme";
  const root = document.documentElement;

  const readTheme = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || "auto";
    } catch {
      return "auto";
    }
  };

  const showTheme = () => {
    const theme = readTheme();
    root.classList.toggle("dark", theme === "dark");
    root.classList.toggle("light", theme === "light");
    for (const button of document.querySelectorAll("[data-theme]")) {
      button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
    }
  };

  showTheme();
  document.addEventListener("DOMContentLoaded", showTheme);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme]");
    if (!button) return;
    localStorage.setItem(KEY, JSON.stringify(button.dataset.theme));
    showTheme();
  });
})();
