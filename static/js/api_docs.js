// Starts the API viewer when htmx has loaded the description. Requests sent from it carry the session and the CSRF
// token of the page.
const place = document.getElementById("api-docs");

// The samples of a call, one at a time. The chosen label stays the same for all calls.
let chosen = "curl";

const drawSamples = (React, samples) => {
  const [label, choose] = React.useState(chosen);
  const shown = samples.find((sample) => sample.label === label) ?? samples[0];
  const element = React.createElement;
  const button = (sample) =>
    element("button", {
      key: sample.label,
      type: "button",
      className: "c-button-plain",
      "aria-pressed": sample === shown,
      onClick: () => choose(chosen = sample.label),
    }, sample.label);
  return element(
    "section",
    { className: "c-api-docs-samples" },
    element("h4", null, "Samples"),
    element("div", { role: "group", "aria-label": "Language" }, samples.map(button)),
    element("pre", { tabIndex: 0 }, element("code", null, shown.source)),
    element("button", { type: "button", className: "c-button-plain", "data-copy": shown.source }, "Copy"),
  );
};

// Shows `x-codeSamples` of each call above its answers.
const samplesPlugin = ({ React }) => ({
  wrapComponents: {
    responses: (Responses) => {
      const Samples = ({ samples }) => drawSamples(React, samples);
      return (props) => {
        const samples = props.specSelectors.specJson().getIn(["paths", props.path, props.method, "x-codeSamples"]);
        return React.createElement(
          React.Fragment,
          null,
          samples && React.createElement(Samples, { samples: samples.toJS() }),
          React.createElement(Responses, props),
        );
      };
    },
  },
});

const drawViewer = (description) =>
  SwaggerUIBundle({
    domNode: place,
    spec: description,
    deepLinking: true,
    filter: true,
    // Drawing all shapes takes longer than drawing all calls; each call has its own.
    defaultModelsExpandDepth: -1,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [samplesPlugin],
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
