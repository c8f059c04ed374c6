// Light, dark or the system's colours; the browser keeps the choice. Not a module: modules run after the page was
// drawn, and it would be drawn in the wrong colours first.
(() => {
  const KEY = "adminTheme";
  const root = document.documentElement;

  const chosen = () => {
    try {
      return JSON.parse(localStorage.getItem(KEY)) || "auto";
    } catch {
      return "auto";
    }
  };

  const show = () => {
    const theme = chosen();
    root.classList.toggle("dark", theme === "dark");
    root.classList.toggle("light", theme === "light");
    for (const button of document.querySelectorAll("[data-theme]")) {
      button.setAttribute("aria-pressed", String(button.dataset.theme === theme));
    }
  };

  show();
  document.addEventListener("DOMContentLoaded", show);
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-theme]");
    if (!button) return;
    localStorage.setItem(KEY, JSON.stringify(button.dataset.theme));
    show();
  });
})();
