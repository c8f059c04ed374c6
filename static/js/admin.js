// The framework labels the search box of a list with an icon that has no role, so screen readers skip the label.
// The framework's script adds both at the same event, before this one runs.
addEventListener("load", () => {
  for (const sign of document.querySelectorAll(".search-label-icon")) sign.setAttribute("role", "img");
});
