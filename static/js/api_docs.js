// Starts the API's viewer. A request that is tried out there carries the page's session and CSRF token.
const place = document.getElementById("api-docs");

SwaggerUIBundle({
  domNode: place,
  url: place.dataset.schema,
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
