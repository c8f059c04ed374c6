// A part of a page that cannot be loaded says why in its place, and can be loaded again. A part that is loaded again
// from time to time keeps its content: the bar of the connection says that it is old.
const NOT_POLLED = /(^|,)\s*(load|revealed|intersect|toggle|change)\b/;
const LINK = "a, button, summary";
const NO_ANSWER = "The server did not answer.";
const LOGGED_OUT = "You are logged out.";

const loaded = new WeakSet();

const template = document.getElementById("part-fault");

const isWaitedFor = (element, target) => {
  if (element.getAttribute("hx-swap") === "none" || element.matches("input, dialog *")) return false;
  const trigger = element.getAttribute("hx-trigger");
  return trigger === null ? element.matches(LINK) : NOT_POLLED.test(trigger) && !loaded.has(target);
};

const writeWords = (place, xhr) => {
  if (xhr.responseText) {
    globalThis.htmx.swap(place, xhr.responseText, { swapStyle: "innerHTML", ignoreTitle: true }, {
      select: "[data-detail]",
    });
  }
  if (!place.textContent.trim()) place.textContent = xhr.status === 401 ? LOGGED_OUT : NO_ANSWER;
};

const loadAgain = (element, target) => {
  const verb = element.hasAttribute("hx-post") ? "post" : "get";
  globalThis.htmx.ajax(verb, element.getAttribute(`hx-${verb}`), { source: element, target });
};

const makeFault = (element, target, xhr) => {
  const fault = template.content.firstElementChild.cloneNode(true);
  writeWords(fault.querySelector("[data-words]"), xhr);
  const id = xhr.getResponseHeader?.("X-Request-ID");
  if (id) fault.querySelector("[data-request]").textContent = `Request id ${id}`;
  const again = fault.querySelector("button");
  again.addEventListener("click", () => {
    fault.remove();
    loadAgain(element, target);
  });
  again.hidden = element.matches(LINK); // which is there to be used again
  return fault;
};

// Where the part would be; next to what asked for it if something else is in its place.
const showFault = ({ detail: { elt: element, target, xhr } }) => {
  if (!target || !isWaitedFor(element, target)) return;
  removeFault(element);
  const fault = makeFault(element, target, xhr);
  const isInside = element !== target && target.contains(element);
  const swap = (element.getAttribute("hx-swap") ?? "innerHTML").split(" ")[0];
  if (element.matches(LINK) || isInside || swap !== "innerHTML") element.after(fault);
  else target.replaceChildren(fault);
};

const removeFault = (element) => {
  if (element.nextElementSibling?.matches("[data-part-fault]")) element.nextElementSibling.remove();
};

for (const kind of ["htmx:responseError", "htmx:sendError", "htmx:timeout"]) {
  document.addEventListener(kind, showFault);
}
// After a 401, no further event comes (connection.js).
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.status === 401) showFault(event);
});
document.addEventListener("htmx:beforeRequest", ({ detail: { elt } }) => removeFault(elt));
document.addEventListener("htmx:afterSwap", ({ detail: { target } }) => loaded.add(target));
