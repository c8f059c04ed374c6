// The form of a new job is sent once: a second click must not send it again; a user who returns by the Back button may.
const form = document.querySelector("[data-new-job]");
let isSent = false;

form?.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
addEventListener("pageshow", () => {
  isSent = false;
});

// Enter presses the first button of a form, which updates the preview. In the fields below it, Enter starts the job.
const isBelow = (field, button) => button.compareDocumentPosition(field) & Node.DOCUMENT_POSITION_FOLLOWING;

form?.addEventListener("keydown", (event) => {
  const [update, start] = [form.querySelector("[name=look]"), form.querySelector("[data-start]")];
  if (event.key !== "Enter" || event.isComposing || !update || !start) return;
  if (!event.target.matches("input") || !isBelow(event.target, update)) return;
  event.preventDefault();
  form.requestSubmit(start);
});
