// The response page of a form takes the address of the form's page, so that Back and Reload do not send the form
// again, and the browser does not ask.
if (document.body.hasAttribute("data-answers-post")) {
  const page = document.referrer && new URL(document.referrer);
  const isOurs = page && page.origin === location.origin;
  history.replaceState(null, "", isOurs ? page.pathname + page.search : location.href);
}
