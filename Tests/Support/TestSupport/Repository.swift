/// Where the repository and its optional test data are.
public enum Repository {}
