// The page of a message asks for itself every three seconds until the message has ended. After ten minutes, it asks
// every half minute.
const MAX_QUESTIONS = 200;
const RARELY = 10;
let questions = 0;

const isOfFollowing = (event) => event.detail.requestConfig.elt.id === "following";

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.defaultPrevented || !isOfFollowing(event)) return;
  questions += 1;
  if (questions > MAX_QUESTIONS && questions % RARELY) event.preventDefault();
});

// The message is gone, or may not be seen any more.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isOfFollowing(event) || ![403, 404].includes(event.detail.xhr.status)) return;
  event.detail.isError = false;
  document.getElementById("following").remove();
});
