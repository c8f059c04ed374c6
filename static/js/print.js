// Prints the page: a button with data-print.
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-print]")) globalThis.print();
});
