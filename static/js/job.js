// Pages that ask again and again how a job stands: not while nobody sees them, and at once when somebody does.
(() => {
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && event.target.closest("[data-while-seen]")) event.preventDefault();
  });
})();
