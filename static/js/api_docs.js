// Starts the API viewer when htmx has loaded the description. Requests sent from it carry the session and the CSRF
// token of the page.
const place = document.getElementById("api-docs");

// The label of the sample that is shown. It stays the same for all calls.
let chosen = "curl";

// Returns the component that shows one of the samples of a call, with a button for each.
const makeSamples = ({ createElement, useState }) => ({ samples }) => {
  const [label, setLabel] = useState(chosen);
  const shown = samples.find((sample) => sample.label === label) ?? samples[0];
  const choose = (sample) => {
    chosen = sample.label;
    setLabel(chosen);
  };
  const buttons = samples.map((sample) =>
    createElement("button", {
      key: sample.label,
      type: "button",
      className: "c-button-plain",
      "aria-pressed": sample === shown,
      onClick: () => choose(sample),
    }, sample.label)
  );
  return createElement(
    "section",
    { className: "c-api-docs-samples", "aria-label": "Samples" },
    createElement("h4", null, "Samples"),
    createElement("div", { role: "group", "aria-label": "Language" }, buttons),
    createElement("pre", { tabIndex: 0 }, createElement("code", null, shown.source)),
    createElement("button", { type: "button", className: "c-button-plain", "data-copy": shown.source }, "Copy"),
  );
};

// Shows `x-codeSamples` of each call above its answers.
const samplesPlugin = ({ React }) => {
  const Samples = makeSamples(React);
  const { createElement, Fragment } = React;
  const wrapResponses = (Responses, { specSelectors }) => (props) => {
    const samples = specSelectors.specJson().getIn(["paths", props.path, props.method, "x-codeSamples"]);
    const drawn = samples && createElement(Samples, { samples: samples.toJS() });
    return createElement(Fragment, null, drawn, createElement(Responses, props));
  };
  return { wrapComponents: { responses: wrapResponses } };
};

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
