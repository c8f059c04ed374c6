// Stops a search that the server does step by step. After each step, htmx loads the next one; "Continue
// searching" resumes it.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-search-stop]")) return;
  const progress = document.getElementById("search-progress");
  for (const element of [progress, ...progress.querySelectorAll("[hx-get]")]) htmx.trigger(element, "htmx:abort");
});
