// The form of a new job is sent once: a second click must not send it again; a user who returns by the Back button may.
// The form may come with a later part of the page.
let isSent = false;

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-new-job]")) return;
  if (isSent) event.preventDefault();
  isSent = true;
});
addEventListener("pageshow", () => {
  isSent = false;
});

// Enter presses the first button of a form, which updates the preview. In the fields below it, Enter starts the job.
const isBelow = (field, button) => button.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING;

document.addEventListener("keydown", (event) => {
  const form = event.target.closest?.("[data-new-job]");
  if (!form) return;
  const [update, start] = [form.querySelector("[name=look]"), form.querySelector("[data-start]")];
  if (event.key !== "Enter" || event.isComposing || !update || !start) return;
  if (!event.target.matches("input") || !isBelow(event.target, update)) return;
  event.preventDefault();
  form.requestSubmit(start);
});
