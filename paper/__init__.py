"""The paper's every table and figure again, the printed value beside ours, with a verdict on each claim.

Khouzani and Malacaria, "Generalised Entropies and Metric-Invariant Optimal Countermeasures for Information Leakage
under Symmetric Constraints". One module for each part of it, all made with minleak's public names alone. Run it with
`make paper`, or `python -m paper -o FOLDER` in the project's root.
"""
