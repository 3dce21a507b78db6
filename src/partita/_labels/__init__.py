"""The one door for labels: containers, encoding, validation, weighted distinct rows and the layout of their labels.

| file           | what                                                                  |
|----------------|-----------------------------------------------------------------------|
| columns.py     | any container of labels to named columns                              |
| encoding.py    | one column of any type to codes                                       |
| validation.py  | ``check_label_matrix``: columns and encoding together, with weights   |
| ensemble.py    | distinct rows with weights, and the layout of their labels            |
| row_encoder.py | new rows in the codes of a fitted method                              |
| partitions.py  | numbering clusters by size, rows on the simplex                       |

Behind the door nothing is validated again.
"""
