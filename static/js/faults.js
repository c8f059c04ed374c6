// Moves the focus to what a refused form has to correct: the summary of several fields, the first faulty field, or the
// error of the whole form.
const FAULTS = "[data-errors], [data-faulty], [aria-invalid=true]:not([type=hidden])";

const openDetails = (element) => {
  const details = element.closest("details:not([open])");
  if (!details) return;
  details.open = true;
  openDetails(details.parentElement);
};

// Returns whether there is a fault. Parts that are not shown have none.
export const focusFault = (root) => {
  for (const fault of root.querySelectorAll(FAULTS)) {
    openDetails(fault);
    if (!fault.checkVisibility()) continue;
    fault.focus();
    return true;
  }
  return false;
};

if (document.body.hasAttribute("data-answers-post")) focusFault(document);
