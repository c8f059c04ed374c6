// Starts the API viewer when htmx has loaded the description. Requests sent from it carry the session and the CSRF
// token of the page.
const place = document.getElementById("api-docs");

const drawViewer = (description) =>
  SwaggerUIBundle({
    domNode: place,
    spec: description,
    deepLinking: true,
    filter: true,
    // Drawing all shapes takes longer than drawing all calls; each call has its own.
    defaultModelsExpandDepth: -1,
    presets: [SwaggerUIBundle.presets.apis],
    requestInterceptor: (request) => {
      request.headers["X-CSRFToken"] = place.dataset.csrfToken;
      return request;
    },
  });

const showFailure = () => {
  place.querySelector("[role=status]").textContent = "The endpoints could not be loaded. Reload the page to try again.";
};

place.addEventListener("htmx:afterRequest", ({ detail: { successful, xhr } }) => {
  if (successful) drawViewer(JSON.parse(xhr.responseText));
  else showFailure();
});
