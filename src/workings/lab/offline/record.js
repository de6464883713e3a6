// In a file that is read offline, the front end and the answers of the lab are in the page, packed. An address without a
// view means the one that the file was made for.
const answers = document.getElementById("answers");
const frontEnd = document.getElementById("front-end");

function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

window.workings = { answers: unpacked(answers).json() };
if (!location.hash.startsWith("#/")) location.replace(answers.dataset.view);
unpacked(frontEnd).text().then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  frontEnd.replaceWith(script);
});
