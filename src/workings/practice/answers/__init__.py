"""What people answer: numbers, matrices and other kinds as they write them, one by one or in a file.

number, matrix, kinds   one number, several numbers, answers that are not numbers
pasted                  numbers in a named text field, with the line of what cannot be read
spelling                one spelling for the many ways to write a number
brackets, tables        notations of a matrix, each turned into a layout
layout                  which text is at which position, before it is read
labels                  how a file names the entries and the columns of answers
file                    a file of answers of any kind
json_file, csv_file, markdown_file, xlsx_file   its kinds
collector               the answers gathered from it
text_file               the text of a file, in whatever encoding it was saved
"""
