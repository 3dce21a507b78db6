"""The one door for labels: reading, validation, weighted distinct rows and the layout of their labels.

| file           | what                                                                          |
|----------------|-------------------------------------------------------------------------------|
| columns.py     | labels in any container and of any type become columns of codes               |
| validation.py  | ``check_label_matrix``; weights; new objects in the codes of a fit            |
| ensemble.py    | distinct rows with weights, and the layout of their labels                    |
| membership.py  | rows that are probabilities, one-hot rows                                     |

Behind the door nothing is validated again.
"""
