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
