// The search of an exported manual. Its rule is that of messages_app/manual/search.py, with the numbers of the index,
// so it shows the same sections in the same order.
const place = document.querySelector("[data-manual-search]");
const field = document.getElementById("manual-search");

const writeWords = (text) => ` ${text.toLowerCase().replaceAll("ß", "ss")}`.replace(/[^\p{L}\p{N}]+/gu, " ");

const splitWords = (text, most, common) => {
  const words = [...new Set(writeWords(text).split(" ").filter((word) => word !== ""))];
  const rare = words.filter((word) => !common.includes(word));
  return (rare.length > 0 ? rare : words).slice(0, most).map((word) => ` ${word}`);
};

const countWord = (text, word) => text.split(word).length - 1;

const ratePlace = (entry, words, points) => {
  let sum = 0;
  for (const word of words) {
    if (entry.title.includes(word)) sum += points.title;
    if (entry.heading.includes(word)) sum += points.heading;
    sum += Math.min(countWord(entry.text, word), points.count);
  }
  return sum;
};

const listEntries = (index) =>
  index.chapters.flatMap((chapter) =>
    chapter.sections.map(([anchor, heading, plain]) => ({
      chapter,
      anchor,
      plain,
      name: heading,
      title: writeWords(chapter.title),
      heading: writeWords(heading),
      text: writeWords(plain),
    }))
  );

const orderOf = (found) => [
  Number(found.chapter.isForDevelopers),
  -found.points,
  Number(found.anchor !== ""),
  [...found.name].length,
];

const compareOrders = (one, other) => {
  const [first, second] = [orderOf(one), orderOf(other)];
  const n = first.findIndex((value, at) => value !== second[at]);
  return n < 0 ? 0 : first[n] - second[n];
};

const countWords = (entry, words) =>
  words.filter((word) => [entry.title, entry.heading, entry.text].some((one) => one.includes(word))).length;

// The best sections that have every word, or the most words, by chapter.
const findSections = (index, words) => {
  const entries = listEntries(index).map((entry) => ({ ...entry, count: countWords(entry, words) }));
  const most = Math.max(0, ...entries.map((entry) => entry.count));
  const places = entries
    .filter((entry) => entry.count === most && most > words.length / 2)
    .map((entry) => ({ ...entry, points: ratePlace(entry, words, index.points) }))
    .sort(compareOrders);
  const chapters = new Map();
  for (const found of places) {
    const ofChapter = chapters.get(found.chapter) ?? [];
    if (ofChapter.length < index.most.sections) ofChapter.push(found);
    chapters.set(found.chapter, ofChapter);
  }
  return [...chapters.values()].slice(0, index.most.chapters);
};

const wordAt = (text, at) => {
  if (at <= 0) return 0;
  return text.indexOf(" ", at) + 1 || text.length;
};

// The text of a section around the first of the words, with each of the words marked.
const writeExcerpt = (plain, words, { before, after }) => {
  const names = words.map((word) => word.trim()).join("|");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${names})`, "giu");
  const first = plain.search(pattern);
  const start = first < 0 ? 0 : wordAt(plain, first - before);
  const end = wordAt(plain, start + before + after);
  const parts = plain.slice(start, end).split(pattern).map((part, n) => {
    if (n % 2 === 0) return part;
    const mark = document.createElement("mark");
    mark.textContent = part;
    return mark;
  });
  const excerpt = document.createElement("p");
  excerpt.className = "u-break";
  excerpt.append(start > 0 ? "… " : "", ...parts, end < plain.length ? "…" : "");
  return excerpt;
};

const addressOf = ({ chapter, anchor }) =>
  `../${chapter.name ? `${chapter.name}/` : ""}${anchor ? `#${encodeURIComponent(anchor)}` : ""}`;

const makeHeading = (level, address, text) => {
  const heading = document.createElement(level);
  const link = document.createElement("a");
  link.href = address;
  link.textContent = text;
  heading.append(link);
  return heading;
};

const makeChapter = (places, words, excerpt) => {
  const section = document.createElement("section");
  section.className = "c-book-result";
  const { chapter } = places[0];
  section.append(makeHeading("h2", addressOf({ chapter, anchor: "" }), chapter.title));
  for (const [n, found] of places.entries()) {
    // The beginning of a chapter needs its name only below another section.
    if (found.anchor || n > 0) section.append(makeHeading("h3", addressOf(found), found.name));
    section.append(writeExcerpt(found.plain, words, excerpt));
  }
  return section;
};

const shorten = (text) => ([...text].length > 100 ? `${[...text].slice(0, 99).join("")}…` : text);

const showResults = (text, index) => {
  const words = splitWords(text, index.most.words, index.common);
  const title = document.createElement("h1");
  title.textContent = `Results for ${shorten(text)}`;
  const results = findSections(index, words);
  const copyNote = (id) => document.getElementById(id).content.cloneNode(true);
  place.replaceChildren(title);
  if (results.length === 0) place.append(copyNote("no-results"));
  else if (results[0][0].count < words.length) place.append(copyNote("partial-results"));
  place.append(...results.map((places) => makeChapter(places, words, index.excerpt)));
};

const text = new URLSearchParams(location.search).get("q") ?? "";
if (text) {
  field.value = text;
  document.title = `${shorten(text)} · ${document.title}`;
  try {
    const answer = await fetch(place.dataset.manualSearch);
    showResults(text.slice(0, field.maxLength), await answer.json());
  } catch {
    place.append(document.getElementById("no-index").content.cloneNode(true));
  }
}
