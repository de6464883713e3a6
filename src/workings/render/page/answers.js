// The answers to a worksheet: kept while the page is closed, saved to a file, and loaded from one. Nothing is computed.
const bar = document.querySelector("section.sheet");
const code = bar.dataset.sheet;
const answerFields = [...all("main [data-label]")];
const shelf = `workings-sheet-${code}`;

const collected = () => Object.fromEntries(answerFields.map((field) => [field.dataset.label, field.value.trim()]));
const fill = (answers) => {
  for (const field of answerFields) field.value = String(answers[field.dataset.label] ?? "");
};

function remember() {
  try {
    localStorage.setItem(shelf, JSON.stringify(collected()));
  } catch {
    // They last as long as the page is open, or in a saved file.
  }
}

try {
  fill(JSON.parse(localStorage.getItem(shelf) ?? "{}"));
} catch {
  // Nothing was kept, or it cannot be read.
}
for (const field of answerFields) field.addEventListener("input", remember);

const status = bar.querySelector("output");
bar.hidden = false;
bar.querySelector(".save").addEventListener("click", () => {
  const text = JSON.stringify({ sheet: code, answers: collected() }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = `answers-${code}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  status.value = "Saved.";
});

const file = bar.querySelector("input[type=file]");
bar.querySelector(".load").addEventListener("click", () => file.click());
file.addEventListener("change", async () => {
  const chosen = file.files[0];
  file.value = ""; // The same file may be chosen again.
  if (!chosen) return;
  let data = null;
  try {
    data = JSON.parse(await chosen.text());
  } catch {
    // Not JSON: there are no answers in it.
  }
  if (typeof data?.answers !== "object" || data.answers === null) status.value = "This file contains no answers.";
  else if (data.sheet !== code) status.value = "These are answers to a different sheet.";
  else {
    fill(data.answers);
    remember();
    status.value = "Loaded.";
  }
});
