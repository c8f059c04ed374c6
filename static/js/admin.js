// The framework writes what the box above a list is for beside a sign without a role: it is read to nobody.
// Its own script, which makes both, runs at the same event and was there before this one.
addEventListener("load", () => {
  for (const sign of document.querySelectorAll(".search-label-icon")) sign.setAttribute("role", "img");
});
