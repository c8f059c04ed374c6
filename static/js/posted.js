// A page that answers a sent form takes the address of the form's own page, so that neither Back nor Reload sends the
// form again, nor does the browser ask whether to.
(() => {
  if (!document.body.hasAttribute("data-answers-post")) return;
  const before = document.referrer && new URL(document.referrer);
  const isOurs = before && before.origin === location.origin;
  history.replaceState(null, "", isOurs ? before.pathname + before.search : location.href);
})();
