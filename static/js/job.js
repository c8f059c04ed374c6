// Pages that ask again and again how a job stands: not while nobody sees them, and at once when somebody does.
// A part that says what it said before, or in which text is being marked, stays as it is.
(() => {
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden && event.target.closest("[data-while-seen]")) event.preventDefault();
  });

  const isBeingMarked = (part) => {
    const marked = getSelection();
    return !marked.isCollapsed && marked.containsNode(part, true);
  };

  document.addEventListener("htmx:oobBeforeSwap", (event) => {
    const part = event.detail.target;
    const fresh = event.detail.fragment.firstElementChild;
    const isSame = fresh.innerHTML === part.innerHTML && fresh.hidden === part.hidden;
    if (isSame || isBeingMarked(part)) event.preventDefault();
  });
})();
