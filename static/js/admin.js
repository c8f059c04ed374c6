// Django labels the search box of a list with an icon without a role, so screen readers skip the label.
// Django's script adds both at the same event, before this one runs.
addEventListener("load", () => {
  for (const sign of document.querySelectorAll(".search-label-icon")) sign.setAttribute("role", "img");
});
