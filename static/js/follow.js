// The page of a message asks for itself: often while the message is open, less often after it has ended. After ten
// minutes, the page of an open message asks every half minute, and that of an ended one only when it is seen again.
const MAX_QUESTIONS = 200; // of an open message, one every three seconds
const MAX_OF_ENDED = 40; // one every 15 seconds
const RARELY = 10;
let questions = 0;
let wasEnded = false;

const isOfFollowing = (event) => event.detail.requestConfig.elt.id === "following";

const countQuestion = (isEnded) => {
  if (isEnded !== wasEnded) questions = 0;
  wasEnded = isEnded;
  questions += 1;
};

const isTooMany = () => wasEnded ? questions > MAX_OF_ENDED : questions > MAX_QUESTIONS && questions % RARELY !== 0;

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.defaultPrevented || !isOfFollowing(event)) return;
  const { elt, triggeringEvent } = event.detail.requestConfig;
  if (triggeringEvent?.type === "visibilitychange") return;
  countQuestion(elt.hasAttribute("data-ended"));
  if (isTooMany()) event.preventDefault();
});

// The message is gone, or may not be seen any more.
document.addEventListener("htmx:beforeSwap", (event) => {
  if (!isOfFollowing(event) || ![403, 404].includes(event.detail.xhr.status)) return;
  event.detail.isError = false;
  document.getElementById("following").remove();
});
