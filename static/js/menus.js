// Menus that a button opens close when the user clicks elsewhere or presses Esc.
const listOpenMenus = () => [...document.querySelectorAll("details.c-menu[open]")];

document.addEventListener("click", (event) => {
  for (const menu of listOpenMenus()) if (!menu.contains(event.target)) menu.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of listOpenMenus()) {
    event.preventDefault();
    menu.open = false;
    menu.querySelector("summary").focus();
  }
});
