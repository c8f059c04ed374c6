// Stops a search that the server does step by step. Each step is loaded by htmx after the last one; "Continue
// searching" goes on from there.
document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-search-stop]")) return;
  const progress = document.getElementById("search-progress");
  for (const element of [progress, ...progress.querySelectorAll("[hx-get]")]) htmx.trigger(element, "htmx:abort");
});
