// Polls the progress of a job: not while the page is hidden, and immediately when it becomes visible.
// A part whose text has not changed, or in which the user selects text, is not replaced.
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
