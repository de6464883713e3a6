// In a file that is read offline, the answers of the lab are in the page, packed. An address without a view means the
// one that the file was made for.
const packed = document.getElementById("answers");

async function unpacked() {
  const bytes = Uint8Array.from(atob(packed.textContent), (sign) => sign.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

window.workings = { answers: unpacked() };
if (!location.hash.startsWith("#/")) location.replace(packed.dataset.view);
